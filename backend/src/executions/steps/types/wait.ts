import type { WaitStep } from '../../../plans/steps/types/wait.step.js';
import { toPrediction } from './prediction.js';
import type { WaitStepType } from './run-step-type.js';

const getSubject = ({ url, port }: WaitStep): string => url ?? `port ${port}`;

export const WAIT: WaitStepType<WaitStep> = {
  runs: 'wait',
  subjectFields: ['url', 'port'],
  getSubject,
  getTarget: ({ url, port }) => (url === null ? { port: port ?? 0 } : { url }),
  predict({ url, port, timeoutSeconds }) {
    const target = url === null ? `port ${port} answers on the host` : `${url} answers the host`;
    const reason = `Waits until ${target}, for at most ${timeoutSeconds} s.`;
    return toPrediction('WOULD_RUN', 'waits', reason, { changed: false });
  },
  describe: (step) => Promise.resolve({ text: getSubject(step), rendered: true }),
};
