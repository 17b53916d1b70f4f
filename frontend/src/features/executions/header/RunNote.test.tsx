import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderComponent } from '../../../../test/render';
import { RunNote } from './RunNote';

it('a note has its author', () => {
  const startedBy = { id: 'm1', name: 'Ana' };
  renderComponent(<RunNote run={{ note: 'Before the sale', startedBy, createdAt: '2026-01-01T00:00:00Z' }} />);
  expect(screen.getByRole('region', { name: 'Note' }).textContent).toMatch(/^Note by Ana, .+Before the sale/);
});
