import manifest from '../../package.json' with { type: 'json' };
import { EXIT } from '../terminal/exit-codes.ts';
import { createFailure, type Failure } from '../terminal/failure.ts';
import type { Output } from '../terminal/output.ts';

export const VERSION: string = manifest.version;

/**
 * Explains an error of code that read a field which the response lacks.
 * @returns null for other errors, and if the service has this version
 */
export function toOtherVersionFailure(error: unknown, service: Output['service']): Failure | null {
  if (!(error instanceof TypeError) || service === null || service.version === VERSION) return null;
  const reported = service.version === null ? 'does not report its version' : `has version ${service.version}`;
  return createFailure(
    'other_version',
    'Service of another version',
    `The response lacks data that this command line needs (${error.message}). This command line has version ${VERSION}; the service ${reported}.`,
    EXIT.unreachable,
    [`Use the command line of the service: curl -fsSO ${service.base}/api/cli/runward.mjs`],
  );
}

/** Returns `major.minor`; null = not a version. */
const toSeries = (version: string): string | null => /^(\d+\.\d+)\./.exec(version)?.[1] ?? null;

/**
 * Returns a function that warns once if the service has another major or minor version.
 * The service has the command line of its own version.
 */
export function createVersionWarning(
  warn: (text: string) => void,
  own: string = VERSION,
): (serviceVersion: string | null, base: string) => void {
  let compared = false;
  return (serviceVersion, base) => {
    if (compared || serviceVersion === null) return;
    compared = true;
    const series = toSeries(serviceVersion);
    if (series === null || series === toSeries(own)) return;
    warn(
      `Warning: this command line has version ${own}, but the service has version ${serviceVersion}. Update: curl -fsSO ${base}/api/cli/runward.mjs`,
    );
  };
}
