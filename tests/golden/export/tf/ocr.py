# tf.function(f, input_signature=input_signature)
import tensorflow as tf

input_signature = [
    tf.TensorSpec(shape=[None, 3, 48, None], dtype=tf.float32, name="x"),
]
