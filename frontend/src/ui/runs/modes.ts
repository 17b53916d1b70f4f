import type { RunMode } from '../../api/types';

export const MODE_NAMES: Record<RunMode, string> = {
  auto: 'Auto',
  semi_assisted: 'Semi-assisted',
  interactive: 'Interactive',
  dry_run: 'Dry run',
};

export const MODE_MEANINGS: Record<RunMode, string> = {
  auto: 'Runs step after step without asking. When hosts fail a step, the plan says whether it stops or goes on.',
  semi_assisted: 'Asks before the steps that are marked so, and how to go on when hosts fail a step.',
  interactive: 'Asks before each step and shows its hosts and command; asks again when hosts fail.',
  dry_run: 'Connects and looks, and says what a real run would do. Changes nothing on any host.',
};

export const MODES: readonly RunMode[] = ['auto', 'semi_assisted', 'interactive', 'dry_run'];
