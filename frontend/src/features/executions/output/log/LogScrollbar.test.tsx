import { fireEvent, render, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { LogScrollbar } from './LogScrollbar';

const FIRST = 1;
const LAST = 1_000;
const TRACK_PX = 100;

/** Shows the scroll bar of a log that is at its end, and lets a test move the log. */
function show() {
  const onJump = vi.fn();
  const bar = (top: number, settled: unknown) => (
    <LogScrollbar first={FIRST} last={LAST} top={top} visible={10} settled={settled} onJump={onJump} />
  );
  const { rerender } = render(bar(LAST, 1));
  const track = screen.getByRole('scrollbar', { name: 'Position in the log' });
  track.getBoundingClientRect = () => new DOMRect(0, 0, 10, TRACK_PX);
  track.setPointerCapture = () => undefined;
  track.hasPointerCapture = () => true;
  return {
    onJump,
    position: () => Number(track.getAttribute('aria-valuenow')),
    press: (clientY: number) => fireEvent.pointerDown(track, { clientY }),
    release: () => fireEvent.lostPointerCapture(track),
    update: (top: number, settled: unknown) => rerender(bar(top, settled)),
  };
}

describe('the scroll bar of a log', () => {
  it('stays where it was dropped while the log leaves its end, until the log shows that position', async () => {
    const { onJump, position, press, release, update } = show();
    press(TRACK_PX / 2);
    release();
    await expect.poll(() => onJump.mock.calls).toEqual([[501]]);
    update(LAST - 9, 1);
    expect(position()).toBe(501);
    update(496, 2);
    expect(position()).toBe(496);
  });

  it('returns to the position of the log if the jump fails', async () => {
    const { onJump, position, press, release, update } = show();
    press(TRACK_PX / 2);
    release();
    await expect.poll(() => onJump.mock.calls).toHaveLength(1);
    update(LAST - 9, new Error('The service does not answer.'));
    expect(position()).toBe(LAST - 9);
  });

  it('follows the log again after a thumb was held until the log had followed', async () => {
    const { onJump, position, press, release, update } = show();
    press(TRACK_PX / 2);
    await expect.poll(() => onJump.mock.calls).toHaveLength(1);
    update(496, 2);
    expect(position()).toBe(501);
    release();
    expect(position()).toBe(496);
  });
});
