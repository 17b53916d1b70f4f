/** Quotes a text as one word for a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Text as a YAML value on one line: every JSON string is a YAML string. */
export const yamlText = (text: string): string =>
  /^[A-Za-z][\w./-]*$/.test(text) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(text)
    ? text
    : JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\ufeff]/g, (character) => `\\u${hex(character)}`);

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0');

/** Lines as a YAML value: a block scalar if all characters allow that. @param indent indentation of its key */
export const yamlLines = (lines: readonly string[], indent: number): string =>
  lines.every((line) => /^[!-~][ -~]*$/.test(line))
    ? `|\n${lines.map((line) => `${' '.repeat(indent + 2)}${line}`).join('\n')}`
    : yamlText(`${lines.join('\n')}\n`);

/** GitHub evaluates `${{ }}` as an expression. */
export const withoutExpressions = (text: string): string => text.replaceAll('${{', "${{ '${{' }}");

/** GitLab replaces `$NAME` and `${NAME}` within values of variables. */
export const withoutVariables = (text: string): string => text.replaceAll('$', '$$$$');
