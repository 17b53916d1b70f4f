import { describe, expect, it } from '@jest/globals';
import type { PeerChannel } from '../ssh2/peer-messages.js';
import { WINDOW_EXCEEDED, getMessageCost, type ExpectedMessages } from './message-cost.js';

const u32 = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const text = (value: string) => [...u32(value.length), ...Buffer.from(value)];
const of = (...bytes: number[]) => Buffer.from(bytes);

const open: PeerChannel = { incoming: { window: 10, state: 'open' }, _callbacks: [], _exit: { code: undefined } };
const pendingRequest: PeerChannel = { ...open, _callbacks: [() => undefined] };
const over: PeerChannel = { incoming: { window: 10, state: 'eof' }, _callbacks: [], _exit: { code: 0 } };
const opening: PeerChannel = () => undefined;
const channels: Record<number, PeerChannel> = { 0: open, 1: pendingRequest, 2: over, 3: opening };
const expected = (globalAnswers = 0): ExpectedMessages => ({ channel: (id) => channels[id], globalAnswers });
const free = { data: 0 };

describe('cost of a host message', () => {
  it.each([
    ['output within the window', of(94, ...u32(0), ...text('0123456789')), { data: 10 }],
    ['errors within the window', of(95, ...u32(0), ...u32(1), ...text('x')), { data: 1 }],
    ['the answer to an opening', of(91, ...u32(3), ...u32(0), ...u32(0), ...u32(0)), free],
    ['the answer to a request', of(99, ...u32(1)), free],
    ['the first end of output', of(96, ...u32(0)), free],
    ['the exit status', of(98, ...u32(0), ...text('exit-status'), 0, ...u32(1)), free],
    ['the close of a channel', of(97, ...u32(2)), free],
  ])('is free: %s', (_, payload, cost) => {
    expect(getMessageCost(payload, expected())).toEqual(cost);
  });

  it('is free as the answer to a pending global request only', () => {
    expect(getMessageCost(of(82), expected(1))).toEqual(free);
    expect(getMessageCost(of(82), expected(0))).toMatchObject({ messages: 1 });
  });

  it.each([
    ['data of an unknown channel', of(94, ...u32(9), ...text('x'))],
    ['empty data', of(94, ...u32(0), ...u32(0))],
    ['data of an unknown stream', of(95, ...u32(0), ...u32(2), ...text('x'))],
    ['a second answer to an opening', of(91, ...u32(0), ...u32(0), ...u32(0), ...u32(0))],
    ['an answer without a request', of(99, ...u32(0))],
    ['a second end of output', of(96, ...u32(2))],
    ['a second exit status', of(98, ...u32(2), ...text('exit-status'), 0, ...u32(1))],
    ['a request of the channel', of(98, ...u32(0), ...text('keepalive@openssh.com'), 1)],
    ['a window adjustment', of(93, ...u32(0), ...u32(1))],
    ['a channel opened by the host', of(90, ...text('x11'), ...u32(0))],
    ['an ignored message', of(2, ...text('x'))],
    ['an unknown message number', of(200)],
    ['a truncated message', of(94, 0)],
  ])('costs one message: %s', (_, payload) => {
    expect(getMessageCost(payload, expected())).toEqual({ messages: 1, bytes: payload.length + 32 });
  });

  it('costs many messages if it requires a signature or a list of keys', () => {
    expect(getMessageCost(of(60), expected())).toMatchObject({ messages: 50 });
    expect(getMessageCost(of(80, ...text('hostkeys-00@openssh.com'), 0), expected())).toMatchObject({ messages: 50 });
  });

  it('reports output beyond the window as a protocol violation', () => {
    expect(getMessageCost(of(94, ...u32(0), ...text('0123456789+')), expected())).toBe(WINDOW_EXCEEDED);
  });
});
