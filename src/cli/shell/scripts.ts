import type { Shell } from './answer.ts'

/**
 * Completion scripts, which pass the whole line to the program, so that only one parser exists. They never evaluate
 * the program's output. They ignore its exit code, because the program may be killed after its output.
 */
export const scripts: Readonly<Record<Shell, string>> = {
  // This script supports bash 3.2, which has no compopt, and systems without the bash-completion package.
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
}

export const installInstructions: Readonly<Record<Shell, string>> = {
  bash: `add this line to ~/.bashrc: eval "$(meetroom completion bash)"`,
  zsh: `add these lines to ~/.zshrc: autoload -Uz compinit && compinit, and behind it: source <(meetroom completion zsh)`,
  fish: 'run: meetroom completion fish > ~/.config/fish/completions/meetroom.fish',
}
