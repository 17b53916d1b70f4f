import { fileOf } from '../prepare.mjs';
import { CLOCK_TOLERANCE_MS, violation } from './lookup.mjs';

const FOUND = { found_succeeded: true, found_failed: true };
/** Codes of outcomes of commands whose end was observed. */
const ENDING_CODES = new Set(['exit_code', 'killed', 'step_timed_out', 'command_not_found', 'command_not_executable']);

/** I4: a reported exit code, above all 0, equals the exit code that the host recorded. */
export function resultsWereObserved({ results }, at) {
  const reported = [...at.outcomes].flatMap(([hostStep, outcomes]) =>
    outcomes.flatMap(({ status, exitCode, changed, starts }) => {
      const claims = status === 'SUCCEEDED' || (status === 'FAILED' && exitCode !== null);
      if (!claims || isUnchangedFile(at, hostStep, changed)) return [];
      if (starts.some((start) => start.exitCode === exitCode)) return [];
      const kind = status === 'SUCCEEDED' ? 'false_success' : 'other';
      return [
        violation(
          'I4',
          kind,
          hostStep.split(' ')[0],
          `${at.say(hostStep)} is ${status} (${exitCode}), but its host recorded no such end`,
        ),
      ];
    }),
  );
  const checked = results.flatMap((row) => {
    if (!FOUND[row.resolution] || row.exitCode === null) return [];
    const hostStep = at.hostStepOf(row);
    const saw = (at.starts.get(hostStep) ?? []).filter((start) => start.dispatchId === row.dispatchId);
    if (saw.some((start) => start.exitCode === row.exitCode) || isUnchangedFile(at, hostStep, row.changed)) return [];
    const kind = row.resolution === 'found_succeeded' ? 'false_success' : 'other';
    return [
      violation(
        'I4',
        kind,
        row.run,
        `${at.say(hostStep)} was ${row.resolution} (${row.exitCode}), but its host recorded no such end`,
      ),
    ];
  });
  return [...reported, ...checked];
}

/** No command validates an unchanged file, so the host records nothing. */
function isUnchangedFile(at, hostStep, changed) {
  const [run, key] = hostStep.split(' ');
  return at.step(run, key)?.type === 'template' && changed !== true;
}

/** I4: after the end of a command was reported, the command does nothing. */
export function endedMeansEnded(_found, at) {
  return [...at.outcomes].flatMap(([hostStep, outcomes]) =>
    outcomes.flatMap(({ status, code, at: reportedAt, starts }) => {
      if (status !== 'SUCCEEDED' && !ENDING_CODES.has(code)) return [];
      const late = starts.find((start) => at.found.bootMs + 1000 * start.lastAt > reportedAt + CLOCK_TOLERANCE_MS);
      if (!late) return [];
      return [
        violation(
          'I4',
          'other',
          late.run,
          `${at.say(hostStep)} was reported as ${status} (${code}), but its host recorded activity later`,
        ),
      ];
    }),
  );
}

/**
 * I8: stored output is a prefix of what the host printed. If the end of the command was observed, the output is
 * complete.
 */
export function outputIsAPrefix({ outputs }, at) {
  const printed = outputs.filter(
    (row) => at.step(row.run, at.keys.get(`${row.run} ${row.index}`))?.type !== 'template',
  );
  const stored = new Map(printed.map((row) => [at.hostStepOf(row), row.text]));
  const wrong = printed.flatMap((row) => {
    const hostStep = at.hostStepOf(row);
    const fault = faultOf(row.text, at.starts.get(hostStep) ?? []);
    return fault ? [violation('I8', 'other', row.run, `${at.say(hostStep)}: ${fault}`)] : [];
  });
  const short = [...at.outcomes].flatMap(([hostStep, outcomes]) => {
    const [run, key] = hostStep.split(' ');
    if (at.step(run, key)?.type === 'template') return [];
    const lines = linesOf(stored.get(hostStep) ?? '', at.starts.get(hostStep) ?? []);
    return outcomes.flatMap(({ status, exitCode, starts }) => {
      if (exitCode === null || !['SUCCEEDED', 'FAILED'].includes(status)) return [];
      const last = starts.findLast((start) => start.exitCode === exitCode);
      if (!last) return []; // Invariant I4 reports this case.
      const count = lines.filter((line) => line.startsWith(`${last.nonce} `)).length;
      if (count === last.lines) return [];
      return [
        violation('I8', 'other', run, `${at.say(hostStep)} is ${status} with ${count} of ${last.lines} lines stored`),
      ];
    });
  });
  return [...wrong, ...short];
}

/**
 * Splits output into lines. A killed command can leave an open line, from which the first line of the next command is
 * split off.
 */
const linesOf = (text, starts) =>
  starts
    .reduce(
      (each, { nonce }) => each.replaceAll(`.${nonce} `, `.\n${nonce} `).replaceAll(` ${nonce} `, ` \n${nonce} `),
      text,
    )
    .split('\n');

/**
 * Output consists of one block of lines per start. The lines are numbered from 1 to at most the count that the host
 * recorded.
 */
function faultOf(text, starts) {
  const lines = linesOf(text, starts);
  const open = lines.pop();
  const seen = new Set();
  let [nonce, count] = [null, 0];
  for (const line of lines) {
    const [of, number] = line.split(' ');
    if (of !== nonce) {
      if (seen.has(of)) return `lines of ${of} appear twice`;
      seen.add(of);
      [nonce, count] = [of, 0];
    }
    count += 1;
    if (Number(number) !== count) return `line ${number} of ${of} is where ${count} should be`;
    const start = starts.find((each) => each.nonce === of);
    if (!start) return `a line that no command of the host printed: ${line.slice(0, 60)}`;
    if (start.lines < count) return `line ${count} of ${of}, which its host never printed`;
  }
  if (open === '') return null;
  const known = starts.some(({ nonce: of }) => `${of} `.startsWith(open.slice(0, of.length + 1)));
  return known ? null : `a piece that no command of the host printed: ${open.slice(0, 60)}`;
}

/** A file that a template step wrote is one complete version. */
export function filesAreWhole({ files, runs, startRequests }) {
  const markers = new Set([...runs, ...startRequests].map(({ marker }) => marker));
  return files.flatMap(({ host, plan, step, text }) => {
    if (text === null) return [];
    const marker = /^run (\S+)\n/.exec(text)?.[1];
    if (markers.has(marker) && text === fileOf(marker)) return [];
    return [
      violation(
        'file',
        'other',
        null,
        `the file of ${plan} ${step} on ${host} is not a complete version: ${text.slice(0, 60)}`,
      ),
    ];
  });
}

/**
 * If a step uses an output of an earlier step, it receives the value that the earlier step set, in the same run or in
 * the resumed run.
 */
export function outputsArePassedOn({ evidence }, at) {
  return evidence.flatMap((start) => {
    const { uses } = at.step(start.run, start.step) ?? {};
    if (!uses || start.got === null) return [];
    const setterSteps = at
      .runsThatCount(start.run, uses)
      .flatMap((run) => at.startsOfRun.get(run) ?? [])
      .filter((each) => each.step === uses && each.exitCode !== null);
    if (setterSteps.some(({ nonce }) => nonce === start.got)) return [];
    return [
      violation(
        'output',
        'other',
        start.run,
        `${at.say(`${start.run} ${start.step} ${start.host}`)} received ${start.got}, which ${uses} never set`,
      ),
    ];
  });
}
