/** Options of a select, in the order of the labels. */
export const optionsOf = <V extends string>(labels: Readonly<Record<V, string>>): { value: V; label: string }[] =>
  (Object.entries(labels) as [V, string][]).map(([value, label]) => ({ value, label }));
