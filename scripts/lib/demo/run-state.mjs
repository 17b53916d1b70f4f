/** Calculates the state of a run from its record and events. Does no I/O. */

export function stateOf(execution) {
  return {
    name: execution.planName,
    status: execution.status,
    reason: execution.statusReason,
    hosts: execution.hosts.map(({ serverId, name }) => ({ id: serverId, name })),
    steps: execution.steps.map(({ key, name, status }) => ({ key, name, status })),
    /** Key: `stepKey serverId`. Value: `{ status, exitCode, message }`. */
    cells: new Map(),
    /** Incomplete lines, by step, host and stream. */
    unfinished: new Map(),
  };
}

export const cellOf = (state, stepKey, serverId) => state.cells.get(`${stepKey} ${serverId}`);

/**
 * Applies an event.
 * @returns items to print: `{ host, step, line }` or `{ host, step, result }`
 */
export function take(state, { type, data }) {
  const step = state.steps.find(({ key }) => key === data.stepKey);
  switch (type) {
    case 'execution.status_changed':
    case 'execution.finished':
      state.status = data.status;
      state.reason = data.reason;
      return [];
    case 'step.started':
    case 'step.finished':
      if (step) step.status = data.status ?? 'RUNNING';
      return [];
    case 'host.started':
      state.cells.set(`${data.stepKey} ${data.serverId}`, { status: 'RUNNING' });
      return [];
    case 'host.finished':
      state.cells.set(`${data.stepKey} ${data.serverId}`, data);
      return [...remainingText(state, data), { host: nameOf(state, data.serverId), step, result: data }];
    case 'output.appended':
      return data.lines.flatMap((line) => wholeLine(state, line));
    default:
      return []; // ignores event types of a newer server
  }
}

function wholeLine(state, { stepKey, serverId, stream, text, partial }) {
  const key = `${stepKey} ${serverId} ${stream}`;
  const whole = (state.unfinished.get(key) ?? '') + text;
  if (partial) {
    state.unfinished.set(key, whole);
    return [];
  }
  state.unfinished.delete(key);
  return [{ host: nameOf(state, serverId), step: state.steps.find((step) => step.key === stepKey), line: whole }];
}

/** Returns the last line of a finished host, even if it has no line end. */
function remainingText(state, { stepKey, serverId }) {
  const here = { stepKey, serverId, text: '', partial: false };
  return ['stdout', 'stderr']
    .filter((stream) => state.unfinished.has(`${stepKey} ${serverId} ${stream}`))
    .flatMap((stream) => wholeLine(state, { ...here, stream }));
}

const nameOf = (state, serverId) => state.hosts.find(({ id }) => id === serverId)?.name ?? serverId;
