import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Request, Response } from 'express';
import { captureBody, getCapturedBody } from './request-body.js';

afterEach(() => void jest.useRealTimers());

const requestOf = (headers: Record<string, string>, method = 'POST') =>
  Object.assign(new PassThrough(), { method, headers }) as unknown as PassThrough & Request;
const response = {} as Response;

describe('captureBody', () => {
  it('returns the bytes unchanged, and keeps them for later readers', async () => {
    const request = requestOf({ 'content-length': '5' });
    const reading = captureBody(request, response, 100);
    request.write('he');
    request.end('llo');
    expect((await reading).toString()).toBe('hello');
    expect(getCapturedBody(request).bytes.toString()).toBe('hello');
  });

  it('does not read the body of a GET', async () => {
    const request = requestOf({ 'content-length': '5' }, 'GET');
    request.end('hello');
    expect(await captureBody(request, response, 100)).toHaveLength(0);
    expect(request.readableFlowing).toBeNull();
  });

  it('aborts a body that arrives byte by byte, half a minute after it began', async () => {
    jest.useFakeTimers();
    const request = requestOf({ 'transfer-encoding': 'chunked' });
    const reading = expect(captureBody(request, response, 100)).rejects.toMatchObject({
      status: 408,
      code: 'body_too_slow',
    });
    for (let second = 0; second < 30; second += 1) {
      request.write('x');
      await jest.advanceTimersByTimeAsync(1000);
    }
    await reading;
    expect(request.isPaused()).toBe(true);
  });

  it.each(['before', 'while'])('aborts when the client disconnects %s it is read', async (when) => {
    const request = requestOf({ 'content-length': '5' });
    request.write('he');
    if (when === 'before') request.destroy();
    const reading = expect(captureBody(request, response, 100)).rejects.toMatchObject({ code: 'body_incomplete' });
    request.destroy();
    await reading;
  });
});
