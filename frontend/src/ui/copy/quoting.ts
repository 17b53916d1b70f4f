export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns a text as a YAML value on one line. Every JSON string is a YAML string. */
export const yamlText = (text: string): string =>
  /^[A-Za-z][\w./-]*$/.test(text) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(text)
    ? text
    : JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\ufeff]/g, (character) => `\\u${hex(character)}`);

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0');

/**
 * Returns lines as a YAML value: as a block scalar if all characters allow it.
 * @param indent indentation of the value's key
 */
export const yamlLines = (lines: readonly string[], indent: number): string =>
  lines.every((line) => /^[!-~][ -~]*$/.test(line))
    ? `|\n${lines.map((line) => `${' '.repeat(indent + 2)}${line}`).join('\n')}`
    : yamlText(`${lines.join('\n')}\n`);

/** Escapes `${{ }}`, which GitHub would evaluate as an expression. */
export const withoutExpressions = (text: string): string => text.replaceAll('${{', "${{ '${{' }}");

/** Escapes `$`, because GitLab replaces `$NAME` and `${NAME}` in values of variables. */
export const withoutVariables = (text: string): string => text.replaceAll('$', '$$$$');
