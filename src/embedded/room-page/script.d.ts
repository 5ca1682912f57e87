/** A program for the browser, bundled into one script. */
declare module '*?script' {
  const text: string
  export default text
}
