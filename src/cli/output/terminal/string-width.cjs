// Replaces the package string-width in the bundle: it compiles a slow pattern of all emoji, but most text is ASCII.
const measure = () => require('../../../../node_modules/string-width')

module.exports = (text) => (/^[ -~]*$/.test(text) ? text.length : measure()(text))
