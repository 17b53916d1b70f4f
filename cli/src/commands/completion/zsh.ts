import type { CommandNode } from './tree.ts';

const quoteForZsh = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** Escapes `:`, which separates a word from its description. */
const toDescribedWord = (word: string, description: string): string =>
  quoteForZsh(`${word.replaceAll(':', '\\:')}:${description.replaceAll('\\', '\\\\').replaceAll(':', '\\:')}`);

export function createZshCompletion(nodes: readonly CommandNode[]): string {
  const cases = nodes.map(({ path, commands, options, words }) => {
    const entries = [
      ...commands.map(({ name, description }) => toDescribedWord(name, description)),
      ...words.map((word) => toDescribedWord(word, '')),
      ...options.flatMap(({ flags, description }) => flags.map((flag) => toDescribedWord(flag, description))),
    ];
    return `    ${quoteForZsh(path)}) entries=(${entries.join(' ')}) ;;`;
  });
  const values = nodes.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ flags, words, file }) => {
        const patterns = flags.map((flag) => quoteForZsh(`${path} ${flag}`)).join('|');
        const act = file
          ? '_files'
          : words.length > 0
            ? `compadd -- ${words.map(quoteForZsh).join(' ')}`
            : '_message value';
        return `    ${patterns}) ${act}; return ;;`;
      }),
  );
  return `#compdef runward
# zsh completion of runward
_runward() {
  local path_='' next word
  local -a entries
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${path_:+$path_ }$word"
    case "$next" in ${nodes.map(({ path }) => quoteForZsh(path)).join('|')}) path_="$next" ;; esac
  done
  case "$path_ \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$path_" in
${cases.join('\n')}
  esac
  _describe -t commands runward entries
  case "$path_" in 'plan import'|'server import') _files ;; esac
}
if [ "$funcstack[1]" = _runward ]; then _runward; else compdef _runward runward; fi
`;
}
