// Reports an oversized file before the form is sent.
for (const input of document.querySelectorAll('input[type="file"][data-bytes-max]')) {
  input.addEventListener('change', () => {
    const { bytesMax, tooLarge } = input.dataset
    const isTooLarge = [...input.files].some(({ size }) => size > Number(bytesMax))
    input.setCustomValidity(isTooLarge ? tooLarge : '')
    input.reportValidity()
  })
}
