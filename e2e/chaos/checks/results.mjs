import { fileOf } from '../prepare.mjs';
import { SLACK_MS, violation } from './lookup.mjs';

const FOUND = { found_succeeded: true, found_failed: true };
/** How an outcome is told whose command was seen to end. */
const ENDED = new Set(['exit_code', 'killed', 'step_timed_out', 'command_not_found', 'command_not_executable']);

/** I4: a reported exit code, 0 above all, is the one that the host saw. */
export function resultsWereObserved({ results }, at) {
  const told = [...at.outcomes].flatMap(([place, outcomes]) =>
    outcomes.flatMap(({ status, exitCode, changed, starts }) => {
      const claims = status === 'SUCCEEDED' || (status === 'FAILED' && exitCode !== null);
      if (!claims || isUnchangedFile(at, place, changed)) return [];
      if (starts.some((start) => start.exitCode === exitCode)) return [];
      const kind = status === 'SUCCEEDED' ? 'false_success' : 'other';
      return [
        violation(
          'I4',
          kind,
          place.split(' ')[0],
          `${at.say(place)} is ${status} (${exitCode}), and its host saw no such end`,
        ),
      ];
    }),
  );
  const looked = results.flatMap((row) => {
    if (!FOUND[row.resolution] || row.exitCode === null) return [];
    const place = at.place(row);
    const saw = (at.starts.get(place) ?? []).filter((start) => start.dispatchId === row.dispatchId);
    if (saw.some((start) => start.exitCode === row.exitCode) || isUnchangedFile(at, place, row.changed)) return [];
    const kind = row.resolution === 'found_succeeded' ? 'false_success' : 'other';
    return [
      violation(
        'I4',
        kind,
        row.run,
        `${at.say(place)} was ${row.resolution} (${row.exitCode}), and its host saw no such end`,
      ),
    ];
  });
  return [...told, ...looked];
}

/** A file that was right already is looked at by no command of ours. */
function isUnchangedFile(at, place, changed) {
  const [run, key] = place.split(' ');
  return at.step(run, key)?.type === 'template' && changed !== true;
}

/** I4: what is told to have ended does nothing any more. */
export function endedMeansEnded(_found, at) {
  return [...at.outcomes].flatMap(([place, outcomes]) =>
    outcomes.flatMap(({ status, code, at: toldAt, starts }) => {
      if (status !== 'SUCCEEDED' && !ENDED.has(code)) return [];
      const late = starts.find((start) => at.found.bootMs + 1000 * start.lastAt > toldAt + SLACK_MS);
      if (!late) return [];
      return [
        violation(
          'I4',
          'other',
          late.run,
          `${at.say(place)} was told as ${status} (${code}), and its host saw it at work later`,
        ),
      ];
    }),
  );
}

/** I8: stored output is what the host printed, in order, from its beginning; all of it where its end was observed. */
export function outputIsAPrefix({ outputs }, at) {
  const printed = outputs.filter(
    (row) => at.step(row.run, at.keys.get(`${row.run} ${row.index}`))?.type !== 'template',
  );
  const stored = new Map(printed.map((row) => [at.place(row), row.text]));
  const wrong = printed.flatMap((row) => {
    const place = at.place(row);
    const fault = faultOf(row.text, at.starts.get(place) ?? []);
    return fault ? [violation('I8', 'other', row.run, `${at.say(place)}: ${fault}`)] : [];
  });
  const short = [...at.outcomes].flatMap(([place, outcomes]) => {
    const [run, key] = place.split(' ');
    if (at.step(run, key)?.type === 'template') return [];
    const lines = linesOf(stored.get(place) ?? '', at.starts.get(place) ?? []);
    return outcomes.flatMap(({ status, exitCode, starts }) => {
      if (exitCode === null || !['SUCCEEDED', 'FAILED'].includes(status)) return [];
      const last = starts.findLast((start) => start.exitCode === exitCode);
      if (!last) return []; // I4 tells of it
      const count = lines.filter((line) => line.startsWith(`${last.nonce} `)).length;
      if (count === last.lines) return [];
      return [
        violation('I8', 'other', run, `${at.say(place)} is ${status} with ${count} of ${last.lines} lines stored`),
      ];
    });
  });
  return [...wrong, ...short];
}

/** A command that was killed within a line leaves it open: the next command's first line is a line of its own. */
const linesOf = (text, starts) =>
  starts
    .reduce(
      (each, { nonce }) => each.replaceAll(`.${nonce} `, `.\n${nonce} `).replaceAll(` ${nonce} `, ` \n${nonce} `),
      text,
    )
    .split('\n');

/** Blocks of lines, one for each start, each counting from 1 to at most what its host has on record. */
function faultOf(text, starts) {
  const lines = linesOf(text, starts);
  const open = lines.pop();
  const seen = new Set();
  let [nonce, count] = [null, 0];
  for (const line of lines) {
    const [of, number] = line.split(' ');
    if (of !== nonce) {
      if (seen.has(of)) return `lines of ${of} come twice`;
      seen.add(of);
      [nonce, count] = [of, 0];
    }
    count += 1;
    if (Number(number) !== count) return `line ${number} of ${of} stands where ${count} should`;
    const start = starts.find((each) => each.nonce === of);
    if (!start) return `a line that no command of the host printed: ${line.slice(0, 60)}`;
    if (start.lines < count) return `line ${count} of ${of}, which its host never printed`;
  }
  if (open === '') return null;
  const known = starts.some(({ nonce: of }) => `${of} `.startsWith(open.slice(0, of.length + 1)));
  return known ? null : `a piece that no command of the host printed: ${open.slice(0, 60)}`;
}

/** A file that a template step writes is one of its versions, whole. */
export function filesAreWhole({ files, runs, asked }) {
  const markers = new Set([...runs, ...asked].map(({ marker }) => marker));
  return files.flatMap(({ host, plan, step, text }) => {
    if (text === null) return [];
    const marker = /^run (\S+)\n/.exec(text)?.[1];
    if (markers.has(marker) && text === fileOf(marker)) return [];
    return [
      violation(
        'file',
        'other',
        null,
        `the file of ${plan} ${step} on ${host} is none of its versions: ${text.slice(0, 60)}`,
      ),
    ];
  });
}

/** A step that uses an output of an earlier one is given what that one set in the same run, or in the one that it resumes. */
export function outputsArePassedOn({ evidence }, at) {
  return evidence.flatMap((start) => {
    const { uses } = at.step(start.run, start.step) ?? {};
    if (!uses || start.got === null) return [];
    const setters = at
      .runsThatCount(start.run, uses)
      .flatMap((run) => at.startsOfRun.get(run) ?? [])
      .filter((each) => each.step === uses && each.exitCode !== null);
    if (setters.some(({ nonce }) => nonce === start.got)) return [];
    return [
      violation(
        'output',
        'other',
        start.run,
        `${at.say(`${start.run} ${start.step} ${start.host}`)} was given ${start.got}, which ${uses} never set`,
      ),
    ];
  });
}
