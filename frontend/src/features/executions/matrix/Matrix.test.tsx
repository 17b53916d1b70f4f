import { fireEvent, screen } from '@testing-library/react';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderComponent } from '../../../../test/render';
import type { ExecutionHost, ExecutionStep } from '../../../api/types';
import { Matrix } from './Matrix';
import { matrixRows } from './matrix-rows';

const STEPS = Array.from({ length: 1_000 }, (_, index) => ({
  ...{ key: `s${index}`, name: `Step ${index}`, type: 'command', status: 'SUCCEEDED', reason: null, command: 'true' },
  ...{ path: [], counts: {}, always: false, reportsChange: false },
})) as unknown as ExecutionStep[];
const HOSTS = Array.from({ length: 300 }, (_, index) => ({
  ...{
    serverId: `h${index}`,
    name: `web-${index}`,
    address: 'web:22',
    status: 'SUCCEEDED',
    targetedBy: null,
    tags: {},
  },
})) as unknown as ExecutionHost[];

/** Sizes and scrolling, which jsdom lacks. */
const SIZES = { offsetWidth: 900, clientWidth: 900, offsetHeight: 600, clientHeight: 600 };
beforeAll(() => {
  for (const [name, value] of Object.entries(SIZES))
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => value });
  Element.prototype.scrollTo = function scroll(this: Element, options?: ScrollToOptions | number) {
    if (typeof options === 'object') Object.assign(this, { scrollLeft: options.left ?? this.scrollLeft });
    queueMicrotask(() => this.dispatchEvent(new Event('scroll')));
  };
});
afterAll(() => {
  for (const name of Object.keys(SIZES)) Reflect.deleteProperty(HTMLElement.prototype, name);
});

function show(steps: ExecutionStep[]) {
  const { user } = renderComponent(
    <Matrix
      rows={matrixRows(HOSTS, steps, new Map())}
      loadingHosts={null}
      suffix=""
      steps={steps}
      selection={{}}
      loading={false}
      showsDurations={false}
      onSelect={() => undefined}
    />,
  );
  return { user };
}

const columnsOf = () =>
  screen
    .getAllByRole('columnheader')
    .slice(1)
    .map(({ ariaColIndex }) => Number(ariaColIndex) - 2);
const scrollTo900 = (left: number) => {
  const frame = screen.getByRole('grid').parentElement!;
  frame.scrollLeft = left;
  fireEvent.scroll(frame);
};

describe('the grid of a run with 1,000 steps', () => {
  it('renders only visible columns and rows', () => {
    show(STEPS);
    expect(columnsOf()[0]).toBe(0);
    expect(columnsOf().length).toBeGreaterThan(20);
    expect(columnsOf().length).toBeLessThan(60);
    expect(screen.getAllByRole('gridcell').length).toBeLessThan(60 * 40);
    expect(screen.getByRole('grid').ariaColCount).toBe('1001');
  });

  it('renders other columns when it is scrolled', () => {
    show(STEPS);
    scrollTo900(12_000);
    expect(columnsOf()).toContain(500);
    expect(columnsOf()).not.toContain(0);
    expect(columnsOf().length).toBeLessThan(60);
    expect(screen.getByTestId('cell-web-0-s500')).toBeTruthy();
  });

  it('is reached by keyboard to its last step, and keeps the focus when it is scrolled away', async () => {
    const { user } = show(STEPS);
    screen.getByTestId('cell-web-0-s0').focus();
    await user.keyboard('{End}');
    await expect.poll(() => (document.activeElement as HTMLElement).dataset.testid).toBe('cell-web-0-s999');
    scrollTo900(0);
    expect((document.activeElement as HTMLElement).dataset.testid).toBe('cell-web-0-s999');
    expect(columnsOf()[0]).toBe(0);
  });

  it('renders all columns if they fit', () => {
    show(STEPS.slice(0, 6));
    expect(columnsOf()).toEqual([0, 1, 2, 3, 4, 5]);
  });
});
