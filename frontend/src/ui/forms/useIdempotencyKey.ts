import { useRef } from 'react';
import { newIdempotencyKey } from '../../api/client';
import { toProblem } from '../../api/errors';

/**
 * One key for one wish: sending the same body again after a lost answer can't do it twice. A changed body, and a wish
 * that the server has refused, get a new key.
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
