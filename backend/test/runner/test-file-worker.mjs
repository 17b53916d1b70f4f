import './source-hooks.mjs';
import 'reflect-metadata';
import { pathToFileURL } from 'node:url';
import { createEmptyTestResult } from '@jest/test-result';
import { getState, resetState, run } from 'jest-circus';
import { formatExecError, formatResultsErrors } from 'jest-message-util';

const STACK_OPTIONS = { noStackTrace: false };
let uncaughtErrors = [];
process.on('uncaughtException', (error) => uncaughtErrors.push(error));
process.on('unhandledRejection', (error) => uncaughtErrors.push(error));

/**
 * Runs one test file in this process.
 * @returns {Promise<import('@jest/test-result').TestResult>} in the format of jest's own runner
 * @throws errors while loading the file
 */
export async function runTestFile({ path, config, testNamePattern, testTimeout }) {
  const environment = { ...process.env };
  const start = Date.now();
  uncaughtErrors = [];
  resetState();
  const state = getState();
  state.testTimeout = testTimeout ?? config.testTimeout ?? state.testTimeout;
  if (testNamePattern) state.testNamePattern = new RegExp(testNamePattern, 'i');
  try {
    await import(pathToFileURL(path).href);
    const { testResults, unhandledErrors } = await run();
    return report({ path, config, start }, testResults.map(toAssertionResult), [...unhandledErrors, ...uncaughtErrors]);
  } finally {
    restoreEnvironment(environment);
  }
}

function restoreEnvironment(environment) {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}

/** The first element of the path is the root block of circus. */
function toAssertionResult({ testPath, status, errors, errorsDetailed, duration, startedAt, ...rest }) {
  const titles = testPath.slice(1);
  const finished = status === 'done' || status === 'failing';
  return {
    ancestorTitles: titles.slice(0, -1),
    title: titles.at(-1),
    fullName: titles.join(' '),
    status:
      status === 'skip'
        ? 'pending'
        : status === 'todo'
          ? 'todo'
          : finished && errors.length === 0
            ? 'passed'
            : 'failed',
    duration,
    startAt: startedAt,
    failing: rest.failing,
    failureDetails: errorsDetailed.map(String),
    failureMessages: [...errors],
    invocations: rest.invocations,
    location: rest.location,
    numPassingAsserts: rest.numPassingAsserts,
    retryReasons: [],
  };
}

function report({ path, config, start }, testResults, unhandled) {
  const end = Date.now();
  const empty = createEmptyTestResult();
  const count = (status) => testResults.filter((result) => result.status === status).length;
  const failures = [
    formatResultsErrors(testResults, config, STACK_OPTIONS, path),
    ...unhandled.map((error) => formatExecError(error, config, STACK_OPTIONS, path)),
  ].filter(Boolean);
  return {
    ...empty,
    displayName: config.displayName,
    failureMessage: failures.length > 0 ? failures.join('\n') : null,
    numFailingTests: count('failed'),
    numPassingTests: count('passed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    perfStats: {
      ...empty.perfStats,
      start,
      end,
      runtime: end - start,
      slow: (end - start) / 1000 > config.slowTestThreshold,
    },
    testExecError: unhandled.length > 0 ? { message: '', stack: unhandled.map(String).join('\n') } : undefined,
    testFilePath: path,
    testResults,
  };
}
