// Collapses the text of a resume if the browser shows the PDF above it.
const isDrawn = document.querySelector('object.pdf') && matchMedia('(min-width: 60rem)').matches
if (isDrawn && navigator.pdfViewerEnabled) document.querySelector('[data-resume-text]')?.removeAttribute('open')
