import type { RunMode } from '../../api/types';

export const MODE_NAMES: Record<RunMode, string> = {
  auto: 'Auto',
  semi_assisted: 'Semi-assisted',
  interactive: 'Interactive',
  dry_run: 'Dry run',
};

export const MODE_MEANINGS: Record<RunMode, string> = {
  auto: 'Runs all steps without asking. The plan decides whether failed hosts stop the run.',
  semi_assisted: 'Asks before marked steps and after hosts fail a step.',
  interactive: 'Asks before each step and after hosts fail a step. Shows hosts and command.',
  dry_run: 'Connects to hosts and predicts what a run would do. Changes nothing.',
};
