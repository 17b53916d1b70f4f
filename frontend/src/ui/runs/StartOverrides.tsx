import type { RunMode } from '../../api/types';
import type { Override } from '../collections/freeze';
import { FreezeOverride } from '../collections/FreezeOverride';
import { WindowOverride } from '../environments/WindowOverride';
import type { StartLimits } from './useStartLimits';

interface Props {
  limits: StartLimits;
  mode: RunMode;
  freezeReason: Override;
  onFreezeReason: (reason: Override) => void;
}

/** What blocks a start, with fields for the overrides of admins. Dry runs are not blocked. */
export function StartOverrides({ limits, mode, freezeReason, onFreezeReason }: Props) {
  const { freeze, closed, windowReason, setWindowReason } = limits;
  if (mode === 'dry_run') return null;
  return (
    <>
      {freeze && <FreezeOverride freeze={freeze} override={freezeReason} onChange={onFreezeReason} />}
      {closed && <WindowOverride closed={closed} override={windowReason} onChange={setWindowReason} />}
    </>
  );
}
