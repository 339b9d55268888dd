;; Dot products of 32-bit floats, four lanes at a time. `npm run build-wasm` makes src/vector/dot-products-wasm.ts of it.
;;
;; Four sums of four lanes each, so that the CPU need not wait for one addition before the next; then the sums pairwise,
;; the lanes pairwise, and what is left of the length one by one. src/vector/row-products.ts has the same order in
;; JavaScript, for equal results to the bit.
(module
  (memory (export "memory") 1)

  ;; `length` = 16 * blocks + rest floats at each address
  (func $dot (param $a i32) (param $b i32) (param $blocks i32) (param $rest i32) (result f32)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128) (local $sum f32) (local $end i32)
    (local.set $end (i32.add (local.get $a) (i32.shl (local.get $blocks) (i32.const 6))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
        (local.set $sum0 (f32x4.add (local.get $sum0)
          (f32x4.mul (v128.load offset=0 (local.get $a)) (v128.load offset=0 (local.get $b)))))
        (local.set $sum1 (f32x4.add (local.get $sum1)
          (f32x4.mul (v128.load offset=16 (local.get $a)) (v128.load offset=16 (local.get $b)))))
        (local.set $sum2 (f32x4.add (local.get $sum2)
          (f32x4.mul (v128.load offset=32 (local.get $a)) (v128.load offset=32 (local.get $b)))))
        (local.set $sum3 (f32x4.add (local.get $sum3)
          (f32x4.mul (v128.load offset=48 (local.get $a)) (v128.load offset=48 (local.get $b)))))
        (local.set $a (i32.add (local.get $a) (i32.const 64)))
        (local.set $b (i32.add (local.get $b) (i32.const 64)))
        (br $next)))
    (local.set $sum0 (f32x4.add
      (f32x4.add (local.get $sum0) (local.get $sum1))
      (f32x4.add (local.get $sum2) (local.get $sum3))))
    (local.set $sum (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $sum0)) (f32x4.extract_lane 1 (local.get $sum0)))
      (f32.add (f32x4.extract_lane 2 (local.get $sum0)) (f32x4.extract_lane 3 (local.get $sum0)))))
    (local.set $end (i32.add (local.get $a) (i32.shl (local.get $rest) (i32.const 2))))
    (block $over
      (loop $one
        (br_if $over (i32.ge_u (local.get $a) (local.get $end)))
        (local.set $sum (f32.add (local.get $sum) (f32.mul (f32.load (local.get $a)) (f32.load (local.get $b)))))
        (local.set $a (i32.add (local.get $a) (i32.const 4)))
        (local.set $b (i32.add (local.get $b) (i32.const 4)))
        (br $one)))
    (local.get $sum))

  ;; The products of the `length` floats at `query` with each of `count` rows of as many, one after the other from
  ;; `rows` on; they go to `out`.
  (func (export "dotProducts")
    (param $query i32) (param $length i32) (param $rows i32) (param $count i32) (param $out i32)
    (local $blocks i32) (local $rest i32) (local $end i32)
    (local.set $blocks (i32.shr_u (local.get $length) (i32.const 4)))
    (local.set $rest (i32.and (local.get $length) (i32.const 15)))
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (f32.store (local.get $out) (call $dot (local.get $query) (local.get $rows) (local.get $blocks) (local.get $rest)))
        (local.set $rows (i32.add (local.get $rows) (i32.shl (local.get $length) (i32.const 2))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $next)))))
