import { Menu } from '@mantine/core';
import { screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeServer } from '../../../test/fake-server';
import { renderComponent } from '../../../test/render';
import { RestartTour } from './RestartTour';
import { TOUR_STOPS } from './stops';
import { TourCard } from './TourCard';

const { answer } = fakeServer();
beforeEach(() => {
  localStorage.clear();
  answer('get', '/api/executions', { items: [{ id: 'x1' }], nextCursor: null });
});

const card = () => screen.getByRole('complementary', { name: 'Guided tour' });
const press = (name: string) => within(card()).getByRole('button', { name });

describe('the guided tour', () => {
  it('has seven stops, and ends after the last one', async () => {
    const { user } = renderComponent(<TourCard />);
    const titles: (string | null)[] = [];
    for (const _ of TOUR_STOPS.slice(1)) {
      titles.push(within(card()).getByRole('heading').textContent);
      await user.click(press('Next'));
    }
    expect(new Set(titles).size).toBe(6);
    expect(within(card()).getByText('Tour, stop 7 of 7')).toBeTruthy();
    await user.click(press('Finish'));
    expect(screen.queryByRole('complementary')).toBeNull();
  });

  it('links to the run of a stop', async () => {
    localStorage.setItem('runward.tour', '1');
    renderComponent(<TourCard />);
    const link = await within(card()).findByRole('link', { name: 'Open the failed run' });
    await expect.poll(() => link.getAttribute('href')).toBe('/executions/x1');
  });

  it('says when the run of a stop was deleted', async () => {
    answer('get', '/api/executions', { items: [], nextCursor: null });
    localStorage.setItem('runward.tour', '1');
    renderComponent(<TourCard />);
    expect(await within(card()).findByText('This run was deleted.')).toBeTruthy();
  });

  it('continues at the last stop after a reload', () => {
    localStorage.setItem('runward.tour', '4');
    renderComponent(<TourCard />);
    expect(within(card()).getByRole('heading', { name: 'Approve this' })).toBeTruthy();
  });

  it('can be minimised, also for the next page, and opened again', async () => {
    const { user } = renderComponent(<TourCard />);
    await user.click(press('Minimise the tour'));
    expect(within(card()).queryByRole('heading')).toBeNull();
    expect(localStorage.getItem('runward.tour.minimised')).toBe('true');
    await user.click(press('Tour, stop 1 of 7'));
    expect(within(card()).getByRole('heading')).toBeTruthy();
  });

  it('stays away when skipped, until it is restarted', async () => {
    const { user } = renderComponent(
      <>
        <TourCard />
        <Menu opened>
          <Menu.Dropdown>
            <RestartTour />
          </Menu.Dropdown>
        </Menu>
      </>,
    );
    await user.click(press('Skip the tour'));
    expect(screen.queryByRole('complementary')).toBeNull();
    expect(localStorage.getItem('runward.tour')).toBe('-1');
    await user.click(screen.getByRole('menuitem', { name: 'Restart the guided tour' }));
    expect(within(card()).getByText('Tour, stop 1 of 7')).toBeTruthy();
  });
});
