/** Splits a text into words as a shell does; null: a quote is not closed, or the text ends with a backslash. */
export function splitShellWords(text: string, options: { readonly comments: boolean }): string[] | null {
  const words: string[] = [];
  let word = '';
  let inWord = false;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== '') {
      if (character === quote) quote = '';
      else if (character === '\\' && quote === '"' && '"\\'.includes(text.charAt(at + 1) || ' ')) {
        at += 1;
        word += text.charAt(at);
      } else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      inWord = true;
    } else if (character === '\\') {
      if (at + 1 >= text.length) return null;
      at += 1;
      word += text.charAt(at);
      inWord = true;
    } else if (isBlank(character)) {
      if (inWord) words.push(word);
      word = '';
      inWord = false;
    } else if (character === '#' && options.comments) {
      // As in Python's shlex, which Ansible uses for host lines, a comment may begin within a word.
      break;
    } else {
      word += character;
      inWord = true;
    }
  }
  if (quote !== '') return null;
  if (inWord) words.push(word);
  return words;
}

const isBlank = (character: string) =>
  character === ' ' || character === '\t' || character === '\r' || character === '\n';
