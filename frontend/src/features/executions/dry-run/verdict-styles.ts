import {
  IconBan,
  IconCircleCheck,
  IconHelpCircle,
  IconPencil,
  IconPlayerPlay,
  IconPlayerSkipForward,
} from '@tabler/icons-react';
import type { Verdict } from '../../../api/types';
import type { StatusStyle } from '../../../ui/status/statuses';

const VERDICT_STYLES: Record<Verdict, StatusStyle> = {
  BLOCKED: { tone: 'bad', icon: IconBan, label: 'Blocked' },
  WOULD_CHANGE: { tone: 'warn', icon: IconPencil, label: 'Would change' },
  WOULD_RUN: { tone: 'active', icon: IconPlayerPlay, label: 'Would run' },
  CANNOT_PREDICT: { tone: 'idle', icon: IconHelpCircle, label: 'Unpredictable' },
  WOULD_SKIP: { tone: 'muted', icon: IconPlayerSkipForward, label: 'Would be skipped' },
  NO_CHANGE: { tone: 'good', icon: IconCircleCheck, label: 'No change' },
};

export const VERDICT_MEANINGS: Record<Verdict, string> = {
  BLOCKED: 'A real run would fail here.',
  WOULD_CHANGE: 'The state of the host differs from the step.',
  WOULD_RUN: 'The command would run.',
  CANNOT_PREDICT: 'The result depends on earlier steps or is known only in a real run.',
  WOULD_SKIP: 'A condition excludes the host.',
  NO_CHANGE: 'The host already has the state of the step.',
};

export const verdictStyle = (verdict: Verdict): StatusStyle => VERDICT_STYLES[verdict];

/** Most important first. */
export const VERDICTS = Object.keys(VERDICT_STYLES) as readonly Verdict[];
