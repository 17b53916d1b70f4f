import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef } from 'react';
import { awaitingChangesQuery } from '../../../api/queries/inventory/protection-changes';
import { awaitingMeQuery, latestExecutionsQuery } from '../../../api/queries/runs/executions';
import { canAlert, isPermitted, useAlertSettings } from '../../../ui/alerts/alert-settings';
import { type Alert, changeAlerts, endedAlerts, waitingAlerts } from './alert-texts';

const REFRESH_MS = 15_000;
const OWN_RUNS = 20;
/** The tab that holds this lock shows the notifications of all tabs. */
const LOCK = 'runward-alerts';

/** Shows browser notifications that the member has turned on, also while the tab is in the background. */
export function useAlerts(memberId: string): void {
  const [settings] = useAlertSettings(memberId);
  const refresh = { refetchInterval: REFRESH_MS, refetchIntervalInBackground: true };
  const isAllowed = isPermitted();
  const waiting = useQuery({ ...awaitingMeQuery, ...refresh, enabled: isAllowed && settings.waiting });
  const changes = useQuery({ ...awaitingChangesQuery, ...refresh, enabled: isAllowed && settings.waiting });
  const own = useQuery({
    ...latestExecutionsQuery({ startedById: memberId }, OWN_RUNS),
    ...refresh,
    enabled: isAllowed && settings.ended,
  });
  const show = useLeadingTab(isAllowed && (settings.waiting || settings.ended));
  useNewAlerts(settings.waiting ? waiting.data?.items : undefined, waitingAlerts, show);
  useNewAlerts(settings.waiting ? changes.data?.items : undefined, changeAlerts, show);
  useNewAlerts(settings.ended ? own.data?.items : undefined, endedAlerts, show);
}

/** Calls `show` with what is new in the items since they were read before. */
function useNewAlerts<T>(
  items: T[] | undefined,
  compare: (before: T[] | null, now: T[]) => Alert[],
  show: (alert: Alert) => void,
): void {
  const before = useRef<T[] | null>(null);
  const note = useEffectEvent((now: T[] | undefined) => {
    if (now) for (const alert of compare(before.current, now)) show(alert);
    before.current = now ?? null;
  });
  useEffect(() => note(items), [items]);
}

/** Returns a function that shows an alert if this tab is the one that shows them. */
function useLeadingTab(enabled: boolean): (alert: Alert) => void {
  const router = useRouter();
  const leads = useRef(false);
  useEffect(() => {
    if (!enabled || !canAlert()) return;
    const end = new AbortController();
    const untilEnd = new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve()));
    navigator.locks
      .request(LOCK, { signal: end.signal }, () => {
        leads.current = true;
        return untilEnd;
      })
      // Aborted before this tab got the lock.
      .catch(() => undefined);
    return () => {
      leads.current = false;
      end.abort();
    };
  }, [enabled]);
  return ({ tag, title, body, runId }) => {
    if (!leads.current) return;
    const notification = new Notification(title, { body, tag, icon: '/icon-192.png' });
    notification.onclick = () => {
      window.focus();
      notification.close();
      void router.navigate(runId ? { to: '/executions/$id', params: { id: runId } } : { to: '/' });
    };
  };
}
