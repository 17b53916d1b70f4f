import { useRef } from 'react';
import { newIdempotencyKey } from '../../api/client';
import { toProblem } from '../../api/errors';

/**
 * One key for one body: sending it again after a lost response can't take effect twice. A changed body, and a body that
 * the server has refused, get a new key.
 */
export function useIdempotencyKey() {
  const last = useRef({ json: '', key: '' });
  return {
    keyFor(body: unknown): string {
      const json = JSON.stringify(body);
      if (last.current.json !== json) last.current = { json, key: newIdempotencyKey() };
      return last.current.key;
    },
    refused(error: unknown): void {
      const { status } = toProblem(error);
      if (status >= 400 && status < 500) last.current = { json: '', key: '' };
    },
  };
}
