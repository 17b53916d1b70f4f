import { useRef } from 'react';
import { newIdempotencyKey } from '../../api/client';
import { toProblem } from '../../api/errors';

/**
 * Returns the same key for the same body, so that sending it again after a lost response cannot take effect twice. A
 * changed body gets a new key, and so does a body that the server has refused.
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
