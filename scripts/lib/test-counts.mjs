import { existsSync, readFileSync } from 'node:fs';

const readJson = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);

/** A test file that cannot be loaded counts as one failure. */
export function jestCounts(file) {
  const result = readJson(file);
  if (result === undefined) return undefined;
  return { passed: result.numPassedTests, failed: result.numFailedTests + result.numRuntimeErrorTestSuites };
}

export function vitestCounts(file) {
  const result = readJson(file);
  if (result === undefined) return undefined;
  const unloadedFiles = result.testResults.filter(
    (one) => one.status === 'failed' && one.assertionResults.length === 0,
  );
  return { passed: result.numPassedTests, failed: result.numFailedTests + unloadedFiles.length };
}

export function playwrightCounts(file) {
  const result = readJson(file);
  if (result === undefined) return undefined;
  const { expected, flaky, unexpected } = result.stats;
  // Errors outside tests, such as a server that did not start or a file that can't be loaded.
  return { passed: expected + flaky, failed: unexpected + (result.errors?.length ?? 0) };
}

/** The fault injection writes its own counts. Each trial counts as a test. */
export const chaosCounts = readJson;
