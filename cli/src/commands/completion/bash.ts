import type { CommandNode } from './tree.ts';

/** Uses only bash itself. Names consist of letters and hyphens, so they need no quoting. */
export function createBashCompletion(nodes: readonly CommandNode[]): string {
  const cases = nodes.map(({ path, commands, options, words }) => {
    const all = [...commands.map(({ name }) => name), ...words, ...options.flatMap(({ flags }) => flags)];
    return `    '${path}') words='${all.join(' ')}' ;;`;
  });
  const values = nodes.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ flags, words, file }) => {
        const patterns = flags.map((flag) => `'${path} ${flag}'`).join('|');
        return `    ${patterns}) ${file ? 'files=1' : `words='${words.join(' ')}'`}; value=1 ;;`;
      }),
  );
  const paths = nodes.map(({ path }) => `'${path}'`).join('|');
  return `# bash completion of runward
_runward() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path='' words='' files='' value='' word next
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    case "$next" in ${paths}) path="$next" ;; esac
  done
  case "$path $previous" in
${values.join('\n')}
  esac
  if [ -z "$value" ]; then
    case "$path" in
${cases.join('\n')}
    esac
    case "$path" in 'plan import'|'server import') files=1 ;; esac
  fi
  COMPREPLY=()
  [ -z "$words" ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [ -n "$files" ]; then
    local found
    while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "$current")
  fi
}
complete -F _runward runward
`;
}
