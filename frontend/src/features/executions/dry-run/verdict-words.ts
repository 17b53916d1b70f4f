import {
  IconBan,
  IconCircleCheck,
  IconHelpCircle,
  IconPencil,
  IconPlayerPlay,
  IconPlayerSkipForward,
} from '@tabler/icons-react';
import type { Verdict } from '../../../api/types';
import type { StatusLook } from '../../../ui/status/statuses';

const LOOKS: Record<Verdict, StatusLook> = {
  BLOCKED: { tone: 'bad', icon: IconBan, word: 'Blocked' },
  WOULD_CHANGE: { tone: 'warn', icon: IconPencil, word: 'Would change' },
  WOULD_RUN: { tone: 'active', icon: IconPlayerPlay, word: 'Would run' },
  CANNOT_PREDICT: { tone: 'idle', icon: IconHelpCircle, word: 'Can’t be predicted' },
  WOULD_SKIP: { tone: 'muted', icon: IconPlayerSkipForward, word: 'Would be skipped' },
  NO_CHANGE: { tone: 'good', icon: IconCircleCheck, word: 'No change' },
};

export const VERDICT_MEANINGS: Record<Verdict, string> = {
  BLOCKED: 'A real run would fail here.',
  WOULD_CHANGE: 'Something on the host differs from what the step wants.',
  WOULD_RUN: 'The command would be started.',
  CANNOT_PREDICT: 'It depends on what earlier steps do, or nothing tells it beforehand.',
  WOULD_SKIP: 'A condition leaves the host out.',
  NO_CHANGE: 'The host is already as the step wants it.',
};

export const lookOfVerdict = (verdict: Verdict): StatusLook => LOOKS[verdict];

/** What needs attention first. */
export const VERDICTS = Object.keys(LOOKS) as readonly Verdict[];
