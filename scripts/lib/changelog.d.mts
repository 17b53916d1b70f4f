export function requireNextVersion(version: string | undefined, current: string): void;
export function releaseChangelog(text: string, version: string, date: Date): string;
