/** Browser program, bundled into one script. */
declare module '*?script' {
  const text: string
  export default text
}
