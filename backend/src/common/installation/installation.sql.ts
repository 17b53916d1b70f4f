/** Condition: something new may begin. */
export const BEGINS = 'installation_begins()';
/** Condition: anything may act. */
export const ACTS = 'installation_acts()';

/** Code and text of what stops the installation; null while none of these states stops it. Asked once a statement. */
export const stopCode = (...states: readonly ('draining' | 'held')[]): string =>
  `(select 'installation_' || state from installation where state = any ('{${states.join(',')}}'))`;
export const stopText = (...states: readonly ('draining' | 'held')[]): string =>
  `(select 'The installation is ' || state || '. ' || reason from installation where state = any ('{${states.join(',')}}'))`;
