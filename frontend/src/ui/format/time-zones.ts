/** Names that the browser knows, UTC first. */
export const timeZones = (): string[] => [
  'UTC',
  ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC'),
];

export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
