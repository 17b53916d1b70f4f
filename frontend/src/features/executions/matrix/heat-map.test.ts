import { describe, expect, it } from 'vitest';
import { heatMapSize, hostAfterKey, hostAt, squareOf } from './heat-map';

describe('the heat map', () => {
  it('has the largest cells with which all hosts fit', () => {
    expect(heatMapSize(30, 420, 96)).toEqual({ cell: 14, columns: 30, rows: 1 });
    const size = heatMapSize(600, 600, 96);
    expect(size.rows * size.cell).toBeLessThanOrEqual(96);
    expect(size.columns * size.rows).toBeGreaterThanOrEqual(600);
    expect(heatMapSize(10_000, 300, 96)).toEqual({ cell: 3, columns: 100, rows: 100 });
    expect(heatMapSize(5, 0, 96).columns).toBe(1);
  });

  it('finds the host under the pointer, and none beside the last one', () => {
    const size = { cell: 10, columns: 4, rows: 2 };
    expect(hostAt(size, 6, 35, 5)).toBe(3);
    expect(hostAt(size, 6, 12, 15)).toBe(5);
    expect(hostAt(size, 6, 25, 15)).toBeNull();
    expect(hostAt(size, 6, 41, 5)).toBeNull();
    expect(squareOf(size, 5)).toEqual({ x: 10, y: 10, edge: 9 });
  });

  it('is walked with the arrow keys, Home and End', () => {
    const size = { cell: 10, columns: 4, rows: 2 };
    expect(
      ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp', 'Home', 'End'].map((key) => hostAfterKey(key, 1, size, 6)),
    ).toEqual([2, 0, 5, 0, 0, 5]);
    expect(hostAfterKey('a', 1, size, 6)).toBeNull();
  });
});
