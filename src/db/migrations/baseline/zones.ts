import type { Zones } from '../../tables/prices.js';

/** In no zone and band cheaper than a package of an order by itself at the end of the urban kilometres. */
export const zones: Zones = {
  weights: [1000, 2000, 5000, 10_000, 20_000, 30_000],
  economyDays: 3,
  rows: [
    {
      upToKm: 150,
      prices: [1990, 2290, 2890, 3790, 5490, 6990],
      perFurtherKg: 150,
      economy: { prices: [1890, 2090, 2590, 3390, 4890, 6290], perFurtherKg: 130 },
    },
    {
      upToKm: 300,
      prices: [2390, 2790, 3590, 4790, 6990, 8990],
      perFurtherKg: 220,
      economy: { prices: [2090, 2390, 2990, 3990, 5790, 7490], perFurtherKg: 180 },
    },
    {
      upToKm: 600,
      prices: [2990, 3590, 4790, 6790, 9990, 12_990],
      perFurtherKg: 320,
      economy: { prices: [2490, 2990, 3890, 5490, 7990, 10_490], perFurtherKg: 260 },
    },
    {
      upToKm: 1000,
      prices: [3690, 4590, 6490, 9490, 14_990, 19_990],
      perFurtherKg: 480,
      economy: { prices: [2990, 3690, 5190, 7590, 11_990, 15_990], perFurtherKg: 380 },
    },
    {
      upToKm: 1600,
      prices: [4590, 5890, 8690, 12_990, 20_990, 28_490],
      perFurtherKg: 680,
      economy: { prices: [3690, 4690, 6990, 10_390, 16_790, 22_790], perFurtherKg: 540 },
    },
    {
      upToKm: 2500,
      prices: [5790, 7590, 11_490, 17_490, 28_990, 39_990],
      perFurtherKg: 950,
      economy: { prices: [4690, 6090, 9190, 13_990, 23_190, 31_990], perFurtherKg: 760 },
    },
    {
      upToKm: 4000,
      prices: [7290, 9790, 15_490, 23_990, 40_990, 56_990],
      perFurtherKg: 1350,
      economy: { prices: [5890, 7890, 12_390, 19_190, 32_790, 45_590], perFurtherKg: 1080 },
    },
  ],
};
