/* empty.S - the callee of kfx_model_overhead(): whatever its arguments, one return instruction. */
    .syntax unified
    .thumb
    .section .text.kfx_model_empty, "ax", %progbits
    .global kfx_model_empty
    .type kfx_model_empty, %function
    .thumb_func
kfx_model_empty:
    bx lr
    .size kfx_model_empty, . - kfx_model_empty
