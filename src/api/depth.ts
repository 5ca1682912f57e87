/** How deep JSON may be nested: whoever walks through it afterwards uses the stack for each level. */
export const maxDepth = 100

/** Whether JSON is nested deeper than that. Text that is not JSON gets any answer. */
export function isTooDeep(json: string): boolean {
  let depth = 0
  let inText = false
  for (let i = 0; i < json.length; i++) {
    const char = json[i]
    if (inText) {
      if (char === '\\') i++
      else if (char === '"') inText = false
    } else if (char === '"') inText = true
    else if (char === '[' || char === '{') {
      if (++depth > maxDepth) return true
    } else if (char === ']' || char === '}') depth--
  }
  return false
}
