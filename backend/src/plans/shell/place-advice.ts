import type { ShellPosition } from './shell-places.ts';

/**
 * Explains why a value is not safe at this position, and what to write instead. `subject` starts the sentence.
 * `variable` is the declared variable at this position, if any.
 */
export function explainPosition(
  place: ShellPosition,
  subject: string,
  variable: string | null,
  secret = false,
): string {
  const exportedVariableText =
    variable === null ? 'an exported variable such as $name' : `the exported variable $${variable}`;
  const example = variable === null ? '{{ name }}' : `{{ ${variable} }}`;
  const raw = secret ? '' : ` Only if the value is shell code: ${example.replace(' }}', ' | raw }}')}.`;
  return `${subject} ${toPositionAdvice(place, exportedVariableText, example)}${raw}`;
}

function toPositionAdvice(place: ShellPosition, exportedVariableText: string, example: string): string {
  switch (place) {
    case 'single_quotes':
      return `is inside single quotes, which its own quotes would end. End them before it: 'text '${example}' text'; or use ${exportedVariableText} in double quotes.`;
    case 'double_quotes':
      return `is inside double quotes, where the quotes that Runward adds do not protect it. Remove the double quotes around it, or use ${exportedVariableText} there.`;
    case 'here_document':
      return `is in a here-document, where quotes do not protect it. Use ${exportedVariableText} there, with an unquoted end word.`;
    case 'comment':
      return 'is in a shell comment, which a line break in the value would end. Remove it from the comment.';
    case 'backticks':
      return 'is inside backticks, where quotes do not protect it. Write $(…) instead of `…`.';
    case 'expansion':
      return `is inside an expansion \${…}, where quotes may not protect it. Use ${exportedVariableText} there.`;
    case 'arithmetic':
      return `is inside shell arithmetic, where quotes do not protect it. Declare the variable as integer and use ${exportedVariableText} there.`;
    case 'after_backslash':
      return 'follows a backslash, which would escape its first quote. Remove the backslash.';
    case 'after_dollar':
      return `follows a dollar sign, which would change the meaning of its quotes. Write ${example} without it.`;
    case 'unclear':
      return `is in a position where the quoting of the command cannot be determined. Use ${exportedVariableText}, or put that part of the command on simpler lines.`;
    case 'word':
      return 'is a separate word.';
  }
}
