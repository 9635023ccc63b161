// Reports an oversized file before the form is sent.
for (const input of document.querySelectorAll('input[type="file"][data-bytes-max]')) {
  input.addEventListener('change', () => {
    const bytesMax = Number(input.dataset.bytesMax)
    const isTooLarge = [...input.files].some(({ size }) => size > bytesMax)
    input.setCustomValidity(isTooLarge ? `Choose a file of up to ${Math.floor(bytesMax / 1_048_576)} MB.` : '')
    input.reportValidity()
  })
}
