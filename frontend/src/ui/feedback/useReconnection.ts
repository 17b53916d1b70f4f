import { useEffect, useEffectEvent, useState } from 'react';
import { probeConnection } from '../../api/connection';

const RETRY_MS = 3_000;

/**
 * Asks the server for a response until it comes.
 * @param onConnected called once if a request failed before
 * @returns whether the server responds; null = not known yet
 */
export function useReconnection(onConnected: () => void): boolean | null {
  const [connected, setConnected] = useState<boolean | null>(null);
  const reconnected = useEffectEvent(onConnected);
  useEffect(() => {
    let timer = 0;
    let ended = false;
    const probe = async (retried: boolean) => {
      const responded = await probeConnection();
      if (ended) return;
      setConnected(responded);
      if (!responded) timer = window.setTimeout(() => void probe(true), RETRY_MS);
      else if (retried) reconnected();
    };
    void probe(false);
    return () => {
      ended = true;
      window.clearTimeout(timer);
    };
  }, []);
  return connected;
}
