import { type Hint, suggest } from '../../errors.ts'
import type { Shell } from './format-completion.ts'

/** Completion scripts, which never evaluate the program's output and ignore its exit code. */
export const scripts: Readonly<Record<Shell, string>> = {
  // Supports bash 3.2 (without compopt) and systems without bash-completion.
  bash: `# bash completion of meetroom
_meetroom() {
  local answer how line
  COMPREPLY=()
  answer=$(command meetroom __complete bash -- "\${COMP_LINE:0:COMP_POINT}" "$2" "$COMP_TYPE" 2>/dev/null </dev/null) || :
  {
    IFS= read -r how
    while IFS= read -r line; do COMPREPLY+=("$line"); done
  } <<< "$answer"
  case $how in
    open) compopt +o default -o nospace -o nosort 2>/dev/null ;;
    words) compopt +o default -o nosort 2>/dev/null ;;
  esac
  return 0
}
complete -o default -F _meetroom meetroom
`,
  zsh: `#compdef meetroom
_meetroom() {
  local answer how
  local -a candidates
  answer=$(command meetroom __complete zsh -- "\${(j: :)words[1,CURRENT-1]} $IPREFIX$PREFIX" 2>/dev/null </dev/null) || :
  candidates=("\${(@f)answer}")
  how=$candidates[1]
  candidates=("\${(@)candidates[2,-1]}")
  case $how in
    files) _files ;;
    open) _describe -V value candidates -S '' ;;
    words) _describe -V value candidates ;;
    *) return 1 ;;
  esac
}
if [[ $funcstack[1] == _meetroom ]]; then
  _meetroom "$@"
else
  compdef _meetroom meetroom
fi
`,
  fish: `# fish completion of meetroom
function __meetroom_complete
    set -l line (commandline -cp | string collect)
    set -l answer (command meetroom __complete fish -- "$line" 2>/dev/null </dev/null)
    test (count $answer) -gt 0; or return
    if test "$answer[1]" = files
        __fish_complete_path (commandline -ct | string collect)
    else
        printf '%s\\n' $answer[2..-1]
    end
end
complete -c meetroom -e
complete -c meetroom -f -k -a '(__meetroom_complete)'
`,
  // Supports Windows PowerShell 5.1, which needs Base64 because it does not escape double quotes.
  powershell: `# PowerShell completion of meetroom
Register-ArgumentCompleter -Native -CommandName meetroom -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @()
    $current = ''
    foreach ($element in $commandAst.CommandElements) {
        $extent = $element.Extent
        if ($extent.StartOffset -ge $cursorPosition) { break }
        if ($extent.EndOffset -ge $cursorPosition) {
            $current = $extent.Text.Substring(0, $cursorPosition - $extent.StartOffset)
        } elseif ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $words += $element.Value
        } else {
            $words += $extent.Text
        }
    }
    $line = ((@($words) + $current) | ForEach-Object { $_ -replace '[\\r\\n]', ' ' }) -join [char]10
    $encode = { param($text) [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes([string]$text)) }
    $encoding = [Console]::OutputEncoding
    try {
        [Console]::OutputEncoding = [Text.UTF8Encoding]::new($false)
        $answer = @(& meetroom __complete powershell (& $encode $line) (& $encode $wordToComplete) 2>$null)
        $answer | Select-Object -Skip 1 | ForEach-Object {
            $text, $shown, $words = $_ -split [char]9, 3
            [System.Management.Automation.CompletionResult]::new($text, $shown, 'ParameterValue', $words)
        }
    } catch {
    } finally {
        [Console]::OutputEncoding = $encoding
    }
}
`,
}

export const installInstructions: Readonly<Record<Shell, Hint>> = {
  bash: ['add this line to ~/.bashrc: eval "$(', suggest(['completion', 'bash']), ')"'],
  zsh: [
    'add these lines to ~/.zshrc: autoload -Uz compinit && compinit, and after it: source <(',
    suggest(['completion', 'zsh']),
    ')',
  ],
  fish: ['run: ', suggest(['completion', 'fish']), ' > ~/.config/fish/completions/meetroom.fish'],
  powershell: [
    'add this line to $PROFILE: ',
    suggest(['completion', 'powershell']),
    ' | Out-String | Invoke-Expression',
  ],
}
