import { placeHeldOut, quantile, type Placed } from './geocode/held-out.js';
const LARGEST = new Set('3550308 3304557 5300108 2304400 2927408 3106200 1302603 4106902 2611606 5208707 4314902 1501402 3518800 3509502 2111300 2704302 5002704 3304904 2211001 2507507'.split(' '));
const fmt=(p:Placed[])=>{const e=p.map(x=>x.off/1000);return `${p.length} p50 ${quantile(e,.5).toFixed(2)} p75 ${quantile(e,.75).toFixed(2)} p90 ${quantile(e,.9).toFixed(2)} p95 ${quantile(e,.95).toFixed(2)}`};
for (const split of ['street','neighbourhood','address'] as const){
  const all=placeHeldOut(split,()=>true); const both=all.filter(x=>x.point.neighbourhood&&x.point.cep);
  console.log(split,'all',fmt(all),'| both',fmt(both));
  for(const p of ['street','postal_code','district','city']){const s=both.filter(x=>x.place.precision===p);console.log('   ',p,(s.length/both.length).toFixed(3),fmt(s))}
  for(const [n,f] of [['all',all],['both',both]] as const){const l=f.filter(x=>LARGEST.has(x.point.ibge)); console.log('   largest',n,fmt(l),'better than city',(l.filter(x=>x.place.precision!=='city').length/l.length).toFixed(3))}
}
