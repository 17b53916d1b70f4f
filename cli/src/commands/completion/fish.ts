import type { CommandNode } from './tree.ts';

/** Quotes a word for fish. Only backslash and single quote are special within single quotes. */
const quoteForFish = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

export function createFishCompletion(nodes: readonly CommandNode[]): string {
  const lines = nodes.flatMap(({ path, commands, options, words }) => {
    const when = `-n ${quoteForFish(`test (__runward_path) = ${quoteForFish(path)}`)}`;
    return [
      ...commands.map(
        ({ name, description }) => `complete -c runward -f ${when} -a ${name} -d ${quoteForFish(description)}`,
      ),
      ...(words.length > 0 ? [`complete -c runward -f ${when} -a ${quoteForFish(words.join(' '))}`] : []),
      ...options.map(({ flags, description, takesValue, words: values, file }) => {
        const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
        const value = !takesValue
          ? ''
          : file
            ? ' -r -F'
            : ` -x${values.length > 0 ? ` -a ${quoteForFish(values.join(' '))}` : ''}`;
        return `complete -c runward ${when} ${names.join(' ')}${value} -d ${quoteForFish(description)}`;
      }),
    ];
  });
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => quoteForFish(path));
  return `# fish completion of runward
function __runward_path
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$path $word")
    if contains -- "$next" ${paths.join(' ')}
      set path $next
    end
  end
  echo "$path"
end
${lines.join('\n')}
`;
}
