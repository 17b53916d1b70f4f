/** Browser features that jsdom lacks, or has in a form that Node's fetch refuses. */
import { transferableAbortController } from 'node:util';
import { notifications } from '@mantine/notifications';
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach } from 'vitest';
import { server } from './fake-server';

const native = transferableAbortController();
globalThis.AbortController = native.constructor as typeof AbortController;
globalThis.AbortSignal = native.signal.constructor as typeof AbortSignal;
configure({ asyncUtilTimeout: 10_000 });
server.listen({ onUnhandledFrame: 'error' });
window.matchMedia = (query) =>
  ({ matches: false, media: query, addEventListener: () => undefined, removeEventListener: () => undefined }) as never;
window.ResizeObserver = class {
  observe = () => undefined;
  unobserve = () => undefined;
  disconnect = () => undefined;
};
Object.defineProperty(document, 'fonts', { value: new EventTarget() });
Element.prototype.scrollIntoView = () => undefined;

afterEach(() => {
  cleanup();
  notifications.clean();
});
afterAll(() => server.close());
