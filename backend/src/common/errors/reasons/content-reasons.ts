/** Why a script or a step of a plan is likely to be a mistake. */
export const CONTENT_REASONS = {
  byte_order_mark: 'The script begins with a byte order mark.',
  first_line_arguments: 'Line 1 of the script passes several arguments as one.',
  interpreter_contradiction: 'The interpreter contradicts line 1 of the script.',
  windows_line_ends: 'The script has Windows line ends.',
} as const satisfies Record<string, string>;
