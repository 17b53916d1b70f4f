import manifest from '../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;

/** Returns `major.minor`; null = not a version. */
const toSeries = (version: string): string | null => /^(\d+\.\d+)\./.exec(version)?.[1] ?? null;

/**
 * Returns a function that warns once if the service has another major or minor version.
 * The service has the command line of its own version.
 */
export function createVersionWarning(
  warn: (text: string) => void,
  own: string = VERSION,
): (serviceVersion: string, base: string) => void {
  let compared = false;
  return (serviceVersion, base) => {
    if (compared) return;
    compared = true;
    const series = toSeries(serviceVersion);
    if (series === null || series === toSeries(own)) return;
    warn(
      `Warning: this command line has version ${own}, but the service has version ${serviceVersion}. Update: curl -fsSO ${base}/api/cli/runward.mjs`,
    );
  };
}
