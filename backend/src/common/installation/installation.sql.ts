export const MAY_START_SQL = 'installation_begins()';
export const MAY_ACT_SQL = 'installation_acts()';

/** SQL expression: code and text of the state if it is one of `states`, else null. Evaluated once per statement. */
export const stopCode = (...states: readonly ('draining' | 'held')[]): string =>
  `(select 'installation_' || state from installation where state = any ('{${states.join(',')}}'))`;
export const stopText = (...states: readonly ('draining' | 'held')[]): string =>
  `(select 'The installation is ' || state || '. ' || reason from installation where state = any ('{${states.join(',')}}'))`;
