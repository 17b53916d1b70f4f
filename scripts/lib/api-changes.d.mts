export function breakingChanges(before: object, after: object): string[];
export function toBaseline(document: object): string;
