import type { NextFunction, Request, Response } from 'express';
import { toStateHeader } from './installation-state.js';
import type { InstallationWatch } from './installation-watch.js';

/** Adds `Runward-Installation` to every response while the installation is not active. */
export const createStateHeaderMiddleware =
  (watch: InstallationWatch) =>
  (_request: Request, response: Response, next: NextFunction): void => {
    const value = toStateHeader(watch.current);
    if (value !== null) response.setHeader('Runward-Installation', value);
    next();
  };
