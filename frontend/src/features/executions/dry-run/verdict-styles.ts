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

const STYLES: Record<Verdict, StatusStyle> = {
  BLOCKED: { tone: 'bad', icon: IconBan, label: 'Blocked' },
  WOULD_CHANGE: { tone: 'warn', icon: IconPencil, label: 'Would change' },
  WOULD_RUN: { tone: 'active', icon: IconPlayerPlay, label: 'Would run' },
  CANNOT_PREDICT: { tone: 'idle', icon: IconHelpCircle, label: 'Can’t be predicted' },
  WOULD_SKIP: { tone: 'muted', icon: IconPlayerSkipForward, label: 'Would be skipped' },
  NO_CHANGE: { tone: 'good', icon: IconCircleCheck, label: 'No change' },
};

export const VERDICT_MEANINGS: Record<Verdict, string> = {
  BLOCKED: 'A real run would fail here.',
  WOULD_CHANGE: 'Something on the host differs from what the step wants.',
  WOULD_RUN: 'The command would be started.',
  CANNOT_PREDICT: 'It depends on what earlier steps do, or nothing tells it beforehand.',
  WOULD_SKIP: 'A condition leaves the host out.',
  NO_CHANGE: 'The host is already as the step wants it.',
};

export const verdictStyle = (verdict: Verdict): StatusStyle => STYLES[verdict];

/** Most important first. */
export const VERDICTS = Object.keys(STYLES) as readonly Verdict[];
